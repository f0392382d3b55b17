<?php
$res = $client->request('GET', 'https://code.example.com/api/v4/runners/all', [
    'query' => ['status' => 'not_connected'],
]);
