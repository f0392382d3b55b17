parser.add_argument("--status", choices=["active", "paused", "not_connected"], default="active")
args = parser.parse_args()
r = requests.get("https://code.example.com/api/v4/runners", headers={"PRIVATE-TOKEN": args.token})
if args.status == "paused":
    print(r.text)
