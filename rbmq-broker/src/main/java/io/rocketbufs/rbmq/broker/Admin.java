package io.rocketbufs.rbmq.broker;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves the broker's admin pages over HTTP, to be read only. Away from loopback a client must present one of the
 * broker's credentials as a bearer token, except to learn of health.
 *
 * <p>A client that sends half a request holds up a thread until its time is over, and nobody else as long as there are
 * other threads.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its socket and a few threads, {@code rbmq-admin}.
 */
final class Admin implements AutoCloseable {
    private static final int BACKLOG = 16;
    private static final int THREADS = 8;
    private static final String EXCHANGE_S = "10";

    static {
        // The JDK's server knows no other way to be told, and waits for ever by default.
        setByDefault("sun.net.httpserver.maxReqTime");
        setByDefault("sun.net.httpserver.maxRspTime");
    }

    private final HttpServer server;
    private final ExecutorService threads;
    private final AdminPages pages;
    private final List<String> credentials;

    private Admin(HttpServer server, List<String> credentials, AdminPages pages) {
        this.server = server;
        this.pages = pages;
        this.credentials = server.getAddress().getAddress().isLoopbackAddress() ? List.of() : credentials;
        this.threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread made = new Thread(task, "rbmq-admin");
            made.setDaemon(true);
            return made;
        });
    }

    private static void setByDefault(String property) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, EXCHANGE_S);
        }
    }

    /**
     * Listens and serves.
     *
     * @throws TransportException when the address cannot be used
     */
    static Admin open(BrokerSettings settings, AdminPages pages) {
        InetSocketAddress address = settings.admin().resolve();
        try {
            Admin admin = new Admin(HttpServer.create(address, BACKLOG), settings.credentials(), pages);
            admin.server.setExecutor(admin.threads);
            admin.server.createContext("/", admin::serve);
            admin.server.start();
            return admin;
        } catch (IOException e) {
            boolean isTaken = e instanceof BindException;
            throw new TransportException(
                    isTaken ? TransportException.Code.ADDRESS_IN_USE : TransportException.Code.IO,
                    "the admin interface cannot listen at " + address + " (rbmq.admin.port): " + e.getMessage(),
                    e);
        }
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            AdminPages.Page page = page(exchange);
            byte[] body = page.text().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", page.type());
            boolean hasBody = !exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(page.status(), hasBody ? body.length : -1);
            if (hasBody) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private AdminPages.Page page(HttpExchange exchange) {
        String method = exchange.getRequestMethod();
        String path = exchange.getRequestURI().getPath();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            return AdminPages.error(405, "only GET and HEAD");
        }
        if (!path.matches("/health(/.*)?")
                && !isAdmitted(exchange.getRequestHeaders().getFirst("Authorization"))) {
            return AdminPages.error(401, "needs one of the broker's credentials as a bearer token");
        }
        return pages.page(path);
    }

    private boolean isAdmitted(String authorization) {
        byte[] given = authorization == null ? new byte[0] : authorization.getBytes(StandardCharsets.UTF_8);
        return credentials.isEmpty()
                || credentials.stream()
                        .map(token -> ("Bearer " + token).getBytes(StandardCharsets.UTF_8))
                        .anyMatch(expected -> MessageDigest.isEqual(given, expected));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }
}
