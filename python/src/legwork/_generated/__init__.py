"""Made by `npm run generate` from the contracts of the service. Do not edit."""

