import { tellStory } from "/tmp/k-loops/charter/test/agent/loops/story.ts";
const r = await tellStory((process.argv[2] ?? "createAgent") as never);
for (const q of r.requests) console.log(q.turn, q.path, q.body.length, typeof q.said === "string" ? q.said : (q.said.text?.[0]??"").slice(0,20)+ (q.said.calls??[]).map(c=>c.id));
console.log(r.outcomes.map((o: any, i) => `${i+1} ${o.state ?? o} ${o.problem?.code ?? ""} ${o.problem?.message ?? ""} ${(o.reply??"").slice(0,30)} ${o.notices?.map((n:any)=>n.code+":"+n.message)}`).join("\n"));
console.log(r.ran.join(" "));
const sent = new Set(r.requests.map(q=>q.body)); const again = new Set(r.replayed);
console.log("not replayed", r.requests.filter(q=>!again.has(q.body)).map(q=>q.turn), "unlike", r.replayed.filter(b=>!sent.has(b)).length);
