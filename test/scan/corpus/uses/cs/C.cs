class C {
  async Task A() {
    var r = await client.GetAsync($"{host}/api/v4/runners/all?status=paused");
  }
}
