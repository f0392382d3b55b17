class C {
  String run() {
    HttpRequest request = HttpRequest.newBuilder()
      .uri(URI.create("https://code.example.com/api/v4/runners/all?status=active"))
      .header("PRIVATE-TOKEN", token).build();
  }
}
