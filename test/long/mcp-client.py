"""Lists and calls every tool with the official client, which checks each answer against the tool's outputSchema.

Arguments: the address, and values of required parameters as JSON. Prints what it saw as JSON.
"""

import asyncio
import json
import sys

from mcp import Client


async def visit(url, values, mode):
    async with Client(url, mode=mode) as client:
        tools, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools.extend(page.tools)
            cursor = page.next_cursor
            if cursor is None:
                break
        answered, refused = [], []
        for tool in tools:
            required = tool.input_schema.get("required", [])
            sent = {name: values.get(name, "x") for name in required}
            result = await client.call_tool(tool.name, sent)
            (refused if result.is_error else answered).append(tool.name)
            assert result.is_error or result.structured_content is not None, tool.name
        prompts = await client.list_prompts()
        resources = await client.list_resources()
        read = await client.read_resource(str(resources.resources[0].uri))
        return {
            "version": client.protocol_version,
            "tools": len(tools),
            "answered": answered,
            "refused": refused,
            "prompts": len(prompts.prompts),
            "contents": len(read.contents),
        }


url, values = sys.argv[1], json.loads(sys.argv[2])
print(json.dumps([asyncio.run(visit(url, values, mode)) for mode in ("legacy", "auto")]))
