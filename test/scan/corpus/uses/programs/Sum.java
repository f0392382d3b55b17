String u = "https://x/api/v4/groups/" + id + "/registry/repositories?tags_count=true";
