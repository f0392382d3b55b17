<?php
$runners = Http::withToken($t)->get('https://code.example.com/api/v4/runners', [
    'status' => 'paused',
])->json();
