package io.rocketbufs.rbmq.cli;

import com.typesafe.config.ConfigException;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.json.Json;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;

/** A client of a broker's admin interface. */
final class AdminClient {
    private static final String POST = "POST";
    private static final int TIMEOUT_MS = 5000;
    private static final int MAX_REASON = 1000;
    /**
     * Longer than the answer of a broker with 100,000 topics, so that a server that never stops cannot fill the memory.
     */
    private static final int MAX_ANSWER = 128 << 20;

    private final String host;
    private final int port;
    private final String token;
    private final SSLSocketFactory tls;
    private final int maxAnswer;

    /**
     * Creates a client of the admin interface at an address.
     *
     * @param token may be empty
     * @param tls creates the connections of HTTPS; null for HTTP
     */
    AdminClient(String host, int port, String token, SSLSocketFactory tls) {
        this(host, port, token, tls, MAX_ANSWER);
    }

    /** Creates a client that refuses longer answers than this many bytes. */
    AdminClient(String host, int port, String token, SSLSocketFactory tls, int maxAnswer) {
        this.tls = tls;
        this.host = host;
        this.port = port;
        this.token = token;
        this.maxAnswer = maxAnswer;
    }

    /** Returns {@code HOST:PORT} of the admin interface. */
    String address() {
        return new HostPort(host, port).toString();
    }

    /** Returns true for HTTPS. */
    boolean isEncrypted() {
        return tls != null;
    }

    /** Returns the broker's state as JSON. */
    String status() {
        return checked("receivedBytes", get("/api/status"));
    }

    /**
     * Returns some of the broker's topics as JSON.
     *
     * @param filter selects topics; null for all
     * @param details true to include the publishers and subscribers of each topic
     */
    String topics(String filter, String sort, int limit, boolean details) {
        String query = "?sort=" + sort + "&limit=" + limit + (details ? "&details=true" : "");
        return checked("topics", get("/api/topics" + query + parameter("filter", filter)));
    }

    /**
     * Returns some of the broker's clients as JSON.
     *
     * @param text contained in the name, user or address of each client; null for all
     */
    String clients(String text, String sort, int limit) {
        String query = "?sort=" + sort + "&limit=" + limit;
        return checked("clients", get("/api/clients" + query + parameter("filter", text)));
    }

    private static String parameter(String name, String value) {
        return value == null ? "" : "&" + name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /** Returns a JSON object unless it lacks a key that every broker's answer contains. */
    private String checked(String key, String object) {
        try {
            if (Json.parse(object).hasPath(key)) {
                return object;
            }
        } catch (ConfigException e) {
            // Reported below.
        }
        throw stranger();
    }

    private CommandFailure stranger() {
        return CommandFailure.failed(
                "the server at " + new HostPort(host, port) + " is not the admin interface of an RBMQ broker");
    }

    /**
     * Returns the text of the page that shows whether the broker is ready, or only whether it is alive.
     *
     * @throws CommandFailure with the broker's reason when the check fails
     */
    String health(boolean live) {
        return get(live ? "/health/live" : "/health/ready");
    }

    /**
     * Lets the broker reload its configuration. Returns its answer, a JSON object.
     *
     * @throws CommandFailure with all mistakes in the configuration, one on each line
     */
    String reload() {
        return checked("changes", answer("/api/reload", POST));
    }

    /** Returns the URI of a path; encloses an IPv6 address in brackets. */
    private URI uri(String path) {
        HostPort address = new HostPort(host, port);
        try {
            return new URI((tls == null ? "http://" : "https://") + address + path);
        } catch (URISyntaxException e) {
            throw CommandFailure.usage("--admin " + address + ": is not HOST:PORT");
        }
    }

    private String get(String path) {
        return answer(path, "GET");
    }

    private String answer(String path, String method) {
        URI uri = uri(path);
        try {
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
            if (connection instanceof HttpsURLConnection https) {
                https.setSSLSocketFactory(tls);
            }
            connection.setRequestMethod(method);
            connection.setConnectTimeout(TIMEOUT_MS);
            connection.setReadTimeout(TIMEOUT_MS);
            if (!token.isEmpty()) {
                connection.setRequestProperty("Authorization", "Bearer " + token);
            }
            int status = connection.getResponseCode();
            if (status < 0) {
                throw stranger();
            }
            if (status == HttpURLConnection.HTTP_BAD_REQUEST && method.equals(POST)) {
                throw mistakes(connection);
            }
            if (status != HttpURLConnection.HTTP_OK) {
                boolean isUnknown = status == HttpURLConnection.HTTP_UNAUTHORIZED;
                if (status == HttpURLConnection.HTTP_BAD_REQUEST) {
                    throw CommandFailure.usage("the broker at " + new HostPort(host, port) + ": " + reason(connection));
                }
                throw new CommandFailure(
                        isUnknown || status == HttpURLConnection.HTTP_FORBIDDEN ? ExitCode.REFUSED : ExitCode.FAILED,
                        uri + ": " + reason(connection)
                                + (isUnknown ? "; set --token-file, RBMQ_TOKEN or rbmq.client.token" : ""));
            }
            try (InputStream body = connection.getInputStream()) {
                byte[] answer = body.readNBytes(maxAnswer);
                if (answer.length == maxAnswer && body.read() >= 0) {
                    throw CommandFailure.failed("the answer from " + uri + " is longer than " + maxAnswer + " bytes");
                }
                return new String(answer, StandardCharsets.UTF_8).strip();
            }
        } catch (SocketTimeoutException e) {
            throw new CommandFailure(ExitCode.TIMEOUT, "no broker answers at " + uri + " within " + TIMEOUT_MS + " ms");
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.UNAVAILABLE, "no broker answers at " + uri + ": " + Reason.of(e));
        }
    }

    /** Returns the failure for a configuration with mistakes. */
    private CommandFailure mistakes(HttpURLConnection refused) throws IOException {
        try (InputStream body = refused.getErrorStream()) {
            String answer = new String(body.readNBytes(maxAnswer), StandardCharsets.UTF_8);
            return new CommandFailure(
                    ExitCode.BAD_CONFIGURATION,
                    String.join("\n", Json.parse(answer).getStringList("mistakes")));
        } catch (ConfigException e) {
            return stranger();
        }
    }

    /** Returns the status, and the first line of the response, which states the reason. */
    private static String reason(HttpURLConnection failed) throws IOException {
        String text = failed.getResponseMessage();
        InputStream body = failed.getErrorStream();
        if (body != null) {
            try (body) {
                String answer = new String(body.readNBytes(MAX_REASON), StandardCharsets.UTF_8);
                text = answer.isBlank() ? text : answer.lines().findFirst().orElse(text);
            }
        }
        return failed.getResponseCode() + " " + text;
    }
}
