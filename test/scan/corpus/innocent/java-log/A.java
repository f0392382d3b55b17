class A {
  private static final Logger log = LoggerFactory.getLogger(A.class);
  void a() {
    log.info("https://code.example.com/api/v4/runners?status=paused");
    String url = "https://code.example.com/api/v4/runners";
    if (order.getStatus().equals("paused")) throw new IllegalStateException("https://code.example.com/api/v4/runners?status=active");
  }
}
