path = f"{root}/projects/{id}/services"
os.listdir(f"{root}/projects/{id}/services/slack")
requests.get("https://shop.example.com/projects/7/services/slack")
