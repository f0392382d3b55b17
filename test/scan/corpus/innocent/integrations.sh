curl -H "PRIVATE-TOKEN: $T" "https://code.example.com/api/v4/projects/1/integrations/irc-gateway"
curl -H "PRIVATE-TOKEN: $T" "https://code.example.com/api/v4/projects/services/integrations"
