package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;

/** Asks a broker's admin interface. */
final class AdminClient {
    private static final int TIMEOUT_MS = 5000;

    private final String host;
    private final int port;
    private final String token;

    /** Where the admin interface is, and the token that it wants, or nothing. */
    AdminClient(String host, int port, String token) {
        this.host = host;
        this.port = port;
        this.token = token;
    }

    /** What a broker does, as JSON. */
    String state() {
        return get("/stat");
    }

    /** Its topics, as JSON; an object, as everything that scripts are given. */
    String topics() {
        return "{\"topics\":" + get("/topics") + "}";
    }

    /** An IPv6 address is written in brackets there. */
    private URI uri(String path) {
        String authority = host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]";
        try {
            return new URI("http://" + authority + ":" + port + path);
        } catch (URISyntaxException e) {
            throw CommandFailure.usage("--admin " + host + ":" + port + ": is not HOST:PORT");
        }
    }

    private String get(String path) {
        URI uri = uri(path);
        try {
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout(TIMEOUT_MS);
            connection.setReadTimeout(TIMEOUT_MS);
            if (!token.isEmpty()) {
                connection.setRequestProperty("Authorization", "Bearer " + token);
            }
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw CommandFailure.failed(
                        uri + ": " + connection.getResponseCode() + " " + connection.getResponseMessage());
            }
            try (InputStream body = connection.getInputStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8).strip();
            }
        } catch (IOException e) {
            throw CommandFailure.failed("no broker answers at " + uri + ": " + e.getMessage());
        }
    }
}
