package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	loader := openapi3.NewLoader()
	document := must(loader.LoadFromFile(os.Args[1]))
	if err := document.Validate(loader.Context); err != nil {
		panic(err)
	}
	schema := must(jsonschema.NewCompiler().Compile(os.Args[2]))
	var samples struct{ Accepted, Refused []any }
	if err := json.Unmarshal(must(os.ReadFile(os.Args[3])), &samples); err != nil {
		panic(err)
	}
	for _, sample := range samples.Accepted {
		if err := schema.Validate(sample); err != nil {
			panic(err)
		}
	}
	for _, sample := range samples.Refused {
		if schema.Validate(sample) == nil {
			panic(fmt.Sprintf("accepted: %v", sample))
		}
	}
}
