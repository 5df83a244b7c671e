package io.rocketbufs.rbmq;

import com.typesafe.config.Config;
import io.rocketbufs.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** A client of a broker's admin interface, for tests. */
public final class AdminApi {
    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;

    /** Creates a client of the broker. */
    public AdminApi(RunningBroker running) {
        this.port = running.broker().adminAddress().getPort();
    }

    /** Encodes a value for use in a URL. */
    public static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /** Returns the response to a GET request. */
    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Returns the text of a page. Fails if the page does not exist. */
    public String text(String path) {
        try {
            HttpResponse<String> response = get(path);
            if (response.statusCode() != 200) {
                throw new IllegalStateException(response.statusCode() + " " + response.body());
            }
            return response.body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the JSON object at a path. */
    public Config object(String path) {
        return Json.parse(text(path));
    }

    /** Returns the list of topics or clients in the response to a query. */
    public List<? extends Config> list(String kind, String query) {
        return object("/api/" + kind + query).getConfigList(kind);
    }
}
