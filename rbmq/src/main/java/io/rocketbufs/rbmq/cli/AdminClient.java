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

    /** Returns {@code HOST:PORT} of the admin interface. */
    String address() {
        return admin.address().toString();
    }

    /** Returns true for HTTPS. */
    boolean isEncrypted() {
        return admin.isEncrypted();
    }

    /** Returns the broker's state as JSON. */
    String status() {
        return admin.object("/api/status", "receivedBytes");
    }

    /**
     * Returns some of the broker's topics as JSON.
     *
     * @param filter selects topics; null for all
     * @param details true to include the publishers and subscribers of each topic
     */
    String topics(String filter, String sort, int limit, boolean details) {
        String query = "?sort=" + sort + "&limit=" + limit + (details ? "&details=true" : "");
        return admin.object("/api/topics" + query + parameter("filter", filter), "topics");
    }

    /**
     * Returns some of the broker's clients as JSON.
     *
     * @param text contained in the name, user or address of each client; null for all
     */
    String clients(String text, String sort, int limit) {
        String query = "?sort=" + sort + "&limit=" + limit;
        return admin.object("/api/clients" + query + parameter("filter", text), "clients");
    }

    private static String parameter(String name, String value) {
        return value == null ? "" : "&" + name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /**
     * Returns the text of the page that shows whether the broker is ready, or only whether it is alive.
     *
     * @throws io.rocketbufs.cli.CommandFailure with the broker's reason when the check fails
     */
    String health(boolean live) {
        return admin.get(live ? "/health/live" : "/health/ready");
    }

    /**
     * Lets the broker reload its configuration. Returns its answer, a JSON object.
     *
     * @throws io.rocketbufs.cli.CommandFailure with all mistakes in the configuration, one on each line
     */
    String reload() {
        return admin.post("/api/reload", "changes");
    }
}
