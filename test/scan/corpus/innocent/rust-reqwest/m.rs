fn main() {
    let body = reqwest::blocking::get("https://code.example.com/api/v4/runners").unwrap().text().unwrap();
    if vpn.status == "not_connected" { panic!("https://code.example.com/api/v4/runners?status=paused"); }
}
