package main

const path = "https://cluster.example.com/api/v1/namespaces/projects/services"
const own = "https://shop.example.com/projects/7/services"
