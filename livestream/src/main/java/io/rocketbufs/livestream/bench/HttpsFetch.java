package io.rocketbufs.livestream.bench;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A client that fetches single pages from a server and accepts every certificate. <b>Thread-safety:</b> any thread. */
public final class HttpsFetch {
    private HttpsFetch() {}

    /**
     * Fetches a page over a new connection.
     *
     * @throws SocketTimeoutException if the server does not respond in time
     * @throws ConnectException if the server cannot be reached or closes the connection
     * @throws IOException if the status of the response is not 200
     */
    public static String text(InetSocketAddress server, String path, Duration limit)
            throws IOException, InterruptedException {
        CompletableFuture<String> answer = new CompletableFuture<>();
        try (HttpsClient client = new HttpsClient("fetch", 1)) {
            client.connect(server, new HttpsClient.HttpsListener() {
                @Override
                public void connected(HttpsClient.HttpsConnection connection) {
                    connection.get(server.getHostString(), path);
                }

                @Override
                public void answered(int status, byte[] body) {
                    String text = new String(body, StandardCharsets.UTF_8);
                    if (status == 200) {
                        answer.complete(text);
                    } else {
                        answer.completeExceptionally(new IOException(status + " " + text.strip()));
                    }
                }

                @Override
                public void lost(String why) {
                    answer.completeExceptionally(new ConnectException(why));
                }
            });
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new SocketTimeoutException(server + path + ": no answer within " + limit.toMillis() + " ms");
        } catch (ExecutionException e) {
            String text = server + path + ": " + e.getCause().getMessage();
            throw e.getCause() instanceof ConnectException ? new ConnectException(text) : new IOException(text, e);
        }
    }
}
