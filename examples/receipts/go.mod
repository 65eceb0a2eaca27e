module legwork.example/receipts

go 1.22
