package io.rocketbufs.rbmq.broker;

import java.util.List;

/**
 * What the admin interface has to show, apart from HTTP.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class AdminPages {
    private static final String JSON = "application/json; charset=utf-8";
    private static final String TEXT = "text/plain; charset=utf-8";
    /** What Prometheus wants its text format to be called. */
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    private final Broker broker;
    private final BrokerMetrics metrics;

    AdminPages(Broker broker, BrokerMetrics metrics) {
        this.broker = broker;
        this.metrics = metrics;
    }

    /** A page with its status and type. */
    record Page(int status, String type, String text) {}

    /** The page at a path. */
    Page page(String path) {
        return switch (path) {
            case "/topics" -> new Page(200, JSON, StateJson.ofTopics(broker.topics()) + "\n");
            case "/stat" -> new Page(200, JSON, StateJson.of(broker.state()) + "\n");
            case "/metrics" -> new Page(200, METRICS, metrics.scrape());
            case "/health/live" -> health("live");
            case "/health", "/health/ready" -> broker.isReady() ? health("ready") : error(503, "not ready");
            case "/" -> new Page(200, TEXT, "/topics /stat /metrics /health /health/live /health/ready\n");
            default -> error(404, "there is no " + path);
        };
    }

    /** A broker with a worker that does not work loses or holds up a part of its clients for good. */
    private Page health(String state) {
        List<String> stuck = broker.unresponsiveWorkers();
        return stuck.isEmpty()
                ? new Page(200, TEXT, state + "\n")
                : error(503, "not " + state + ": no answer from " + String.join(", ", stuck));
    }

    /** A page that says what is wrong. */
    static Page error(int status, String text) {
        return new Page(status, TEXT, text + "\n");
    }
}
