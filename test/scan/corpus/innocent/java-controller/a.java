class A {
  /** https://code.example.com/api/v4/runners?status=paused */
  @Operation(summary = "https://code.example.com/api/v4/runners?status=paused")
  @GetMapping("/projects/{id}/services")
  List<Runner> list(@RequestParam(defaultValue = "active") String status) { return repo.findByStatus("paused"); }
}
