package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.json.Json;
import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The pages of the admin interface. None of them changes anything.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class LogAdminPages implements AutoCloseable {
    private final LogBroker broker;
    private final LogBrokerMetrics metrics;
    private final Map<String, Supplier<Page>> routes = new LinkedHashMap<>();

    LogAdminPages(LogBroker broker, MetricsSource framework) {
        this.broker = broker;
        this.metrics = new LogBrokerMetrics(broker::state, framework);
        routes.put("/api/status", () -> Page.json(Json.of(broker.state().json(broker.isReady()))));
        routes.put("/api/topics", this::topics);
        routes.put("/metrics", () -> Page.metrics(metrics.scrape()));
        routes.put("/health", this::ready);
        routes.put("/health/live", () -> Page.health("live", broker.unresponsiveWorkers()));
        routes.put("/health/ready", this::ready);
    }

    /** Returns the response to a request. */
    Page page(PageRequest request) {
        if (request.isPost()) {
            return Page.notAllowed("GET, HEAD");
        }
        Supplier<Page> route = routes.get(request.path());
        return route == null
                ? Page.text(404, "there is no such page; there are " + String.join(" ", routes.keySet()))
                : route.get();
    }

    private Page ready() {
        return broker.isReady() ? Page.health("ready", broker.unresponsiveWorkers()) : Page.text(503, "not ready");
    }

    private Page topics() {
        return Page.json(
                Json.of(broker.topics().all().stream().map(LogBrokerState::json).toList()));
    }

    @Override
    public void close() {
        metrics.close();
    }
}
