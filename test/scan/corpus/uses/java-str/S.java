class S {
  void s() throws Exception {
    String base = "https://code.example.com/api/v4";
    URL url = new URL(base + "/runners?status=paused&per_page=100");
    url.openStream();
  }
}
