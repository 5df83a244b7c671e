package io.rocketbufs.livestream;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** HTTPS clients that trust only the tests' self-signed certificate. */
public final class Https {
    private static final SSLContext TRUSTING = trusting();
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(TRUSTING)
            .build();

    private static final Map<SSLSocket, Socket> PLAIN = Collections.synchronizedMap(new WeakHashMap<>());

    private Https() {}

    private static SSLContext trusting() {
        try (InputStream in = Files.newInputStream(Running.certificate())) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    "own", CertificateFactory.getInstance("X.509").generateCertificate(in));
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the URI of a page. */
    public static URI uri(InetSocketAddress server, String path) {
        return URI.create("https://127.0.0.1:" + server.getPort() + path);
    }

    /** Requests a page. */
    public static HttpResponse<byte[]> get(InetSocketAddress server, String path, String... headers) {
        return send(server, path, "GET", new byte[0], headers);
    }

    /** Returns the text of a page. Fails if the page does not exist. */
    public static String text(InetSocketAddress server, String path) {
        HttpResponse<byte[]> response = get(server, path);
        if (response.statusCode() != 200) {
            throw new IllegalStateException(path + ": " + response.statusCode());
        }
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    /** Returns the value of a server's metric. Fails if the metric does not exist. */
    public static double metric(InetSocketAddress server, String name) {
        for (String line : text(server, "/metrics").split("\n")) {
            if (line.startsWith(name + " ")) {
                return Double.parseDouble(line.substring(name.length() + 1));
            }
        }
        throw new AssertionError("no metric " + name);
    }

    /** Sends a file with PUT, without a Content-Length. */
    public static HttpResponse<byte[]> put(InetSocketAddress server, String path, byte[] body, String... headers) {
        return send(server, path, "PUT", body, headers);
    }

    /** Sends a request. */
    public static HttpResponse<byte[]> send(
            InetSocketAddress server, String path, String method, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(server, path))
                .timeout(Duration.ofSeconds(60))
                .method(
                        method,
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArrays(List.of(body)));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a TLS socket without an HTTP client, connected from the given local address. */
    public static SSLSocket socket(InetSocketAddress server, String from) throws IOException {
        Socket plain = new Socket();
        // With a small buffer, the server quickly detects a client that does not read.
        plain.setReceiveBufferSize(16_384);
        plain.bind(new InetSocketAddress(from, 0));
        plain.connect(new InetSocketAddress("127.0.0.1", server.getPort()));
        SSLSocket socket =
                (SSLSocket) TRUSTING.getSocketFactory().createSocket(plain, "localhost", server.getPort(), true);
        socket.setSoTimeout(20_000);
        socket.startHandshake();
        PLAIN.put(socket, plain);
        return socket;
    }

    /** Returns the plain socket underlying the TLS socket. */
    public static Socket plainOf(SSLSocket socket) {
        return PLAIN.get(socket);
    }
}
