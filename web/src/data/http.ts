// Parts from the server that sent the page, by addresses relative to it: the token is in the path.
import type {DataSource} from "./source";

export class HttpSource implements DataSource {
  constructor(private readonly base: string) {}

  async read(part: string): Promise<ArrayBuffer> {
    return (await this.request(part)).arrayBuffer();
  }

  readonly save = async (): Promise<Blob> => (await this.request("page.html")).blob();

  private async request(path: string): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(new URL(path, this.base), {cache: "no-store"});
    } catch {
      throw new Error(`the server does not answer (${path}). Is 'tumble view' still running?`);
    }
    if (!answer.ok) throw new Error(`the server refused ${path}: ${answer.status} ${answer.statusText}`);
    return answer;
  }
}
