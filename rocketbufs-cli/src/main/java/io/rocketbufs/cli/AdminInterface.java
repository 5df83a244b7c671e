package io.rocketbufs.cli;

import com.typesafe.config.ConfigException;
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
import java.nio.charset.StandardCharsets;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;

/**
 * The admin interface of a broker, as seen by a client. Each request uses its own connection. The methods throw a
 * {@link CommandFailure} if the broker refuses a request or does not answer.
 *
 * <p><b>Thread-safety:</b> any thread may call the methods. The methods that return this object must be called before
 * all others.
 */
public final class AdminInterface {
    private static final String POST = "POST";
    private static final int TIMEOUT_MS = 5000;
    private static final int MAX_REASON = 1000;
    /**
     * Maximum length of an answer in bytes, so that a server that never stops sending cannot fill the memory. The
     * answer of a broker with 100,000 topics is shorter.
     */
    private static final int MAX_ANSWER = 128 << 20;

    private final String kind;
    private final HostPort address;
    private final int maxAnswer;
    private String token = "";
    private String tokenRemedy;
    private SSLSocketFactory tls;

    /**
     * Creates a client that uses HTTP and no token.
     *
     * @param kind the program that has the interface, as named in messages, for example "an RBMQ broker"
     */
    public AdminInterface(String kind, HostPort address) {
        this(kind, address, MAX_ANSWER);
    }

    /** Creates a client that refuses answers longer than {@code maxAnswer} bytes. */
    AdminInterface(String kind, HostPort address, int maxAnswer) {
        this.kind = kind;
        this.address = address;
        this.maxAnswer = maxAnswer;
    }

    /**
     * Sets the token that the client presents.
     *
     * @param value the token; may be empty
     * @param remedy text for error messages that states where to set another token
     * @return this object
     */
    public AdminInterface withToken(String value, String remedy) {
        token = value;
        tokenRemedy = remedy;
        return this;
    }

    /**
     * Uses HTTPS.
     *
     * @param connections creates the encrypted connections
     * @return this object
     */
    public AdminInterface withTls(SSLSocketFactory connections) {
        tls = connections;
        return this;
    }

    /** Returns the broker's address. */
    public HostPort address() {
        return address;
    }

    /** Returns whether this client uses HTTPS. */
    public boolean isEncrypted() {
        return tls != null;
    }

    /** Returns the page at a path, without leading and trailing white space. */
    public String get(String path) {
        return answer(path, "GET");
    }

    /**
     * Returns the page at a path. The page must be a JSON object.
     *
     * @param key a key that the object of every broker of this kind contains
     */
    public String object(String path, String key) {
        return checked(key, get(path));
    }

    /**
     * Makes the broker perform the action of a path. Returns its answer, a JSON object.
     *
     * @param key see {@link #object}
     * @throws CommandFailure if the broker refuses; for an invalid configuration, lists all errors that the broker has
     *     found, one per line
     */
    public String post(String path, String key) {
        return checked(key, answer(path, POST));
    }

    private String checked(String key, String object) {
        try {
            if (Json.parse(object).hasPath(key)) {
                return object;
            }
        } catch (ConfigException e) {
            // The failure is reported below.
        }
        throw stranger();
    }

    private CommandFailure stranger() {
        return CommandFailure.failed("the server at " + address + " is not the admin interface of " + kind);
    }

    /** Returns the URI of a path. Encloses an IPv6 address in brackets. */
    private URI uri(String path) {
        try {
            return new URI((tls == null ? "http://" : "https://") + address + path);
        } catch (URISyntaxException e) {
            throw CommandFailure.usage("--admin " + address + ": is not HOST:PORT");
        }
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
            if (status != HttpURLConnection.HTTP_OK) {
                throw refusal(uri, method, connection);
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

    private CommandFailure refusal(URI uri, String method, HttpURLConnection refused) throws IOException {
        int status = refused.getResponseCode();
        if (status == HttpURLConnection.HTTP_BAD_REQUEST) {
            return method.equals(POST)
                    ? mistakes(refused)
                    : CommandFailure.usage("the broker at " + address + ": " + reason(refused));
        }
        boolean isUnknown = status == HttpURLConnection.HTTP_UNAUTHORIZED;
        return new CommandFailure(
                isUnknown || status == HttpURLConnection.HTTP_FORBIDDEN ? ExitCode.REFUSED : ExitCode.FAILED,
                uri + ": " + reason(refused) + (isUnknown && tokenRemedy != null ? "; " + tokenRemedy : ""));
    }

    /** Returns the failure for a configuration with errors. */
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

    /** Returns the status and the first line of the response, which states the reason. */
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
