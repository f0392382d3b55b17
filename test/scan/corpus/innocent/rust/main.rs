fn main() {
    println!("GET https://code.example.com/api/v4/runners?status=paused");
    let state = if peer.status == "active" { 1 } else { 0 };
}
