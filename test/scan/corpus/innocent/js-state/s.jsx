const [runners, setRunners] = useState([]);
useEffect(() => { fetch("/api/v4/runners", { headers }).then((r) => r.json()).then((list) => setRunners(list)); }, []);
const user = useUser();
return user.status === "active" ? <A tags={tags} /> : null;
