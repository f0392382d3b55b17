<?php
$runners = $client->get('https://code.example.com/api/v4/runners');
$user = $db->fetch('SELECT status FROM users');
if ($user['status'] === 'paused') {
    echo "status paused";
}
