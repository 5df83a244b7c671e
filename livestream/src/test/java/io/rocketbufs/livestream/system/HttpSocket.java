package io.rocketbufs.livestream.system;

import io.rocketbufs.livestream.Https;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.net.ssl.SSLSocket;

/** An HTTP connection that sends exactly the bytes that a test specifies, and reads only on the test's request. */
final class HttpSocket implements AutoCloseable {
    private final SSLSocket socket;

    HttpSocket(InetSocketAddress server) throws IOException {
        socket = Https.socket(server, "127.0.0.1");
    }

    /** Returns the local port of the connection. */
    int localPort() {
        return socket.getLocalPort();
    }

    /** Sends bytes unchanged. */
    HttpSocket write(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** Requests a page. */
    HttpSocket get(String path) throws IOException {
        return write(getRequest(path));
    }

    static String getRequest(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    /**
     * Reads a response and returns its status, a space, and its body, or an empty string if the connection has closed.
     */
    String answer() throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.append((char) next);
        }
        String lower = head.toString().toLowerCase(Locale.ROOT);
        int length = Integer.parseInt(lower.replaceAll("(?s).*content-length: ([0-9]+).*", "$1"));
        String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        return lower.split(" ")[1] + " " + body.strip();
    }

    /** Waits until the peer has closed the connection. */
    boolean isClosed() {
        try {
            return socket.getInputStream().read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        Https.plainOf(socket).close();
    }
}
