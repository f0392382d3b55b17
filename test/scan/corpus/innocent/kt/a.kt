fun main() {
  val runners = client.get("https://code.example.com/api/v4/runners")
  val vpn = Vpn.current()
  if (vpn.status == "not_connected") println("https://code.example.com/api/v4/runners?status=paused")
}
