enum Status {
  ACTIVE("active"), PAUSED("paused"), NOT_CONNECTED("not_connected");
  static final String URL = "https://code.example.com/api/v4/runners";
  boolean is(Peer peer) { return peer.status.equals("not_connected"); }
}
