const url = new URL("https://code.example.com/api/v4/runners");
url.searchParams.set("status", "not_connected");
const runners: Runner[] = await (await fetch(url, { headers })).json();
