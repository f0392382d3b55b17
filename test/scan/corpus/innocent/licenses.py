def review(expense):
    return expense["approval_status"] == "approved"
requests.post("https://hr.example.com/leave", json={"approval_status": "blacklisted"})
