package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.AdminInterface;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** A client of a broker's admin interface. */
final class AdminClient {
    private final AdminInterface admin;

    AdminClient(AdminInterface admin) {
        this.admin = admin;
    }

    /** Returns the address of the admin interface as {@code HOST:PORT}. */
    String address() {
        return admin.address().toString();
    }

    /** Returns true if the client uses HTTPS. */
    boolean isEncrypted() {
        return admin.isEncrypted();
    }

    /** Returns the broker's state as JSON. */
    String status() {
        return admin.object("/api/status", "receivedBytes");
    }

    /**
     * Returns the selected topics of the broker as JSON.
     *
     * @param filter filter that selects topics; null for all
     * @param details true to include the publishers and subscribers of each topic
     */
    String topics(String filter, String sort, int limit, boolean details) {
        String query = "?sort=" + sort + "&limit=" + limit + (details ? "&details=true" : "");
        return admin.object("/api/topics" + query + parameter("filter", filter), "topics");
    }

    /**
     * Returns the selected clients of the broker as JSON.
     *
     * @param text text that the name, user or address of a client must contain; null for all clients
     */
    String clients(String text, String sort, int limit) {
        String query = "?sort=" + sort + "&limit=" + limit;
        return admin.object("/api/clients" + query + parameter("filter", text), "clients");
    }

    private static String parameter(String name, String value) {
        return value == null ? "" : "&" + name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /**
     * Returns the text of the page that reports whether the broker is ready.
     *
     * @param live true to check only whether the broker is alive
     * @throws io.rocketbufs.cli.CommandFailure with the broker's reason if the check fails
     */
    String health(boolean live) {
        return admin.get(live ? "/health/live" : "/health/ready");
    }

    /**
     * Makes the broker reload its configuration. Returns the broker's response, a JSON object.
     *
     * @throws io.rocketbufs.cli.CommandFailure listing all errors in the configuration, one per line
     */
    String reload() {
        return admin.post("/api/reload", "changes");
    }
}
