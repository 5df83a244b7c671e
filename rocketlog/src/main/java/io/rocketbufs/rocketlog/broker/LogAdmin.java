package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.web.BrowserPolicy;
import io.rocketbufs.web.HostCheck;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageRequest;
import io.rocketbufs.web.PageServer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The HTTP server of the broker's admin pages. Because it requires no token, it accepts only host names that no other
 * site can use, see {@link HostCheck}. The health pages are open to everyone.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns its socket, its pages, and its threads.
 */
final class LogAdmin implements AutoCloseable {
    private final HostCheck hosts;
    private final LogAdminPages pages;
    private final PageServer server;

    private LogAdmin(LogBrokerSettings.AdminPort settings, HostCheck hosts, LogAdminPages pages) {
        this.hosts = hosts;
        this.pages = pages;
        this.server = PageServer.open(
                "rocketlog-admin",
                new InetSocketAddress(settings.host(), settings.port()),
                "rocketlog.admin.port",
                null,
                this::page);
    }

    /**
     * Starts accepting and serving requests.
     *
     * @throws io.rocketbufs.rocketnet.TransportException if the address cannot be used; the pages are then closed
     */
    static LogAdmin open(LogBrokerSettings.AdminPort settings, LogAdminPages pages) {
        List<String> ownNames = new ArrayList<>(settings.hosts());
        ownNames.add(settings.host());
        try {
            return new LogAdmin(settings, new HostCheck(ownNames), pages);
        } catch (RuntimeException | Error e) {
            pages.close();
            throw e;
        }
    }

    InetSocketAddress address() {
        return server.address();
    }

    private CompletionStage<Page> page(PageRequest request) {
        Page refusal = request.path().matches("/health(/.*)?") ? null : refusal(request);
        CompletionStage<Page> page = refusal == null ? pages.page(request) : CompletableFuture.completedFuture(refusal);
        return page.thenApply(sent -> sent.with(BrowserPolicy.HEADERS));
    }

    private Page refusal(PageRequest request) {
        Page refusalOfSite = BrowserPolicy.refusalOfOtherSite(request, "/");
        if (refusalOfSite != null) {
            return refusalOfSite;
        }
        return hosts.isForeign(request.host())
                ? Page.text(403, HostCheck.refusal(request.host(), "or add the name to rocketlog.admin.hosts"))
                : null;
    }

    @Override
    public void close() {
        server.close();
        pages.close();
    }
}
