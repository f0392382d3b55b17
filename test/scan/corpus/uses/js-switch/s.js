const runner = await (await fetch(`https://code.example.com/api/v4/runners/${id}`)).json();
switch (runner.status) {
  case "paused": return 1;
  case "active": return 2;
}
