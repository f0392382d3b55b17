class B {
  void b() {
    var uri = UriComponentsBuilder.fromHttpUrl("https://code.example.com/api/v4/runners")
      .queryParam("status", "active").build().toUri();
    rest.getForObject(uri, String.class);
  }
}
