package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.json.Json;
import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageRequest;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The pages of the admin interface, all of which are read-only.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class LogAdminPages implements AutoCloseable {
    private final LogBroker broker;
    private final LogBrokerMetrics metrics;
    private final Map<String, Supplier<CompletionStage<Page>>> routes = new LinkedHashMap<>();

    LogAdminPages(LogBroker broker, MetricsSource framework) {
        this.broker = broker;
        this.metrics = new LogBrokerMetrics(broker::state, framework);
        routes.put("/api/status", () -> now(Page.json(Json.of(broker.state().json(broker.isReady())))));
        routes.put("/api/topics", this::topics);
        routes.put("/api/clients", this::clients);
        routes.put("/metrics", () -> now(Page.metrics(metrics.scrape())));
        routes.put("/health", this::ready);
        routes.put("/health/live", () -> broker.health("live"));
        routes.put("/health/ready", this::ready);
    }

    /**
     * Returns the response to a request. The response to a health check might complete only after a worker has
     * responded.
     */
    CompletionStage<Page> page(PageRequest request) {
        if (request.isPost()) {
            return now(Page.notAllowed("GET, HEAD"));
        }
        Supplier<CompletionStage<Page>> route = routes.get(request.path());
        return route == null
                ? now(Page.text(404, "no such page; available pages: " + String.join(" ", routes.keySet())))
                : route.get();
    }

    private static CompletionStage<Page> now(Page page) {
        return CompletableFuture.completedFuture(page);
    }

    private CompletionStage<Page> ready() {
        return broker.isReady()
                ? broker.health("ready")
                : now(Page.text(503, "not ready: the broker is starting or closing; try again later"));
    }

    private CompletionStage<Page> topics() {
        return now(Page.json(
                Json.of(broker.topics().all().stream().map(LogBrokerState::json).toList())));
    }

    private CompletionStage<Page> clients() {
        return now(Page.json(Json.of(broker.sessions().stream()
                .sorted(Comparator.comparing(LogClientSession::client))
                .map(LogClientSession::json)
                .toList())));
    }

    @Override
    public void close() {
        metrics.close();
    }
}
