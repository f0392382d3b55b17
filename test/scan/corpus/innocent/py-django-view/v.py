def runners(request):
    status = request.GET.get("status")
    if status == "paused":
        return JsonResponse({"status": "paused"})
    data = requests.get("https://code.example.com/api/v4/runners", headers={"PRIVATE-TOKEN": T}).json()
    return JsonResponse({"status": "active", "runners": data})
