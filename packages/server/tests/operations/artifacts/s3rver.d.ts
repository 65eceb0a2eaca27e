declare module '@20minutes/s3rver' {
  /** A server of the protocol of S3 that keeps its objects in a folder. Its key is S3RVER, twice. */
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      directory: string;
      silent: boolean;
      configureBuckets?: { name: string; configs: string[] }[];
    });
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
