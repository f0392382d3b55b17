class C {
  async Task Run() {
    var res = await http.GetAsync("https://code.example.com/api/v4/runners?status=paused");
  }
}
