class Client {
  async Task Run() {
    var runners = await http.GetAsync("https://code.example.com/api/v4/runners");
    Log.Information("https://code.example.com/api/v4/runners?status=paused");
    if (vpn.Status == "not_connected") return;
  }
}
