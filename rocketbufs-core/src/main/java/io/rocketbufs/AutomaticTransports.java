package io.rocketbufs;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Reach;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportProvider;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The installed transports, in the order in which {@code rocketbufs.transport = auto} prefers them: those with the
 * shortest reach first and, with equal reach, encrypted before unencrypted. Each transport reports its own reach: see
 * {@link TransportProvider#reach}.
 *
 * <pre>
 *   connecting side                                listening side
 *   connects over first()      -----------------&gt;
 *                              &lt;----------------  better(first(), its listeners' offers)
 *   better(first(), offers), then route(offer): the first offer that can be reached
 *   connects over that one     -----------------&gt;
 * </pre>
 *
 * How the offers are sent is up to the application.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class AutomaticTransports {
    /** The configured name that selects the best transport available on both sides. */
    public static final String NAME = "auto";

    private final Config config;
    private final List<TransportProvider> byPreference = new ArrayList<>();
    private final List<String> installed = new ArrayList<>();

    /** Loads the installed transports without opening them. */
    public AutomaticTransports(Config config) {
        this.config = config;
        for (TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            installed.add(provider.name());
            if (provider.reach(config) != Reach.UNSELECTED) {
                byPreference.add(provider);
            }
        }
        byPreference.sort(Comparator.comparing((TransportProvider provider) -> provider.reach(config))
                .thenComparing(provider -> !provider.encrypts())
                .thenComparing(TransportProvider::name));
    }

    /** Returns true if the given name is {@link #NAME}. */
    public static boolean isAutomatic(String transport) {
        return transport.equals(NAME);
    }

    /** Returns {@link #first()} if the name is {@code auto}, otherwise the name itself. */
    public String resolve(String transport) {
        return isAutomatic(transport) ? first() : transport;
    }

    /**
     * Returns the name of the transport for the first connection to a peer: the preferred transport that reaches every
     * machine.
     *
     * @throws TransportException with code UNAVAILABLE if no available transport reaches every machine
     */
    public String first() {
        return byPreference.stream()
                .filter(provider -> provider.reach(config) == Reach.NETWORK)
                .findFirst()
                .map(TransportProvider::name)
                .orElseThrow(() -> new TransportException(
                        TransportException.Code.UNAVAILABLE,
                        "rocketbufs.transport = auto needs a transport that reaches every machine, such as tcp;"
                                + " installed transports: " + String.join(", ", installed)));
    }

    /**
     * Returns the transports over which a server listens by default: {@link #first()} and then the transports that
     * connect only processes on this machine.
     */
    public List<String> listening() {
        List<String> names = new ArrayList<>(List.of(first()));
        byPreference.stream()
                .filter(provider -> provider.reach(config) == Reach.MACHINE)
                .forEach(provider -> names.add(provider.name()));
        return names;
    }

    /** Returns the names of the transports that are preferred to {@link #first()}, best first. */
    public List<String> preferred() {
        TransportProvider first = provider(first());
        return byPreference.stream()
                .filter(provider -> isBetter(provider, first))
                .map(TransportProvider::name)
                .toList();
    }

    /** Returns true if data sent over a transport never leaves this machine. */
    public boolean staysOnMachine(String transport) {
        TransportProvider provider = provider(transport);
        return provider != null && provider.reach(config) == Reach.MACHINE;
    }

    /**
     * Returns the offers of transports that are preferred to the one in use, best first. If the transport in use
     * encrypts, no offered transport in the result sends unencrypted data over a network.
     *
     * @param current name of the transport in use
     */
    public List<TransportOffer> better(String current, List<TransportOffer> offers) {
        TransportProvider used = provider(current);
        if (used == null) {
            return List.of();
        }
        return offers.stream()
                .filter(offer -> isBetter(provider(offer.transport()), used))
                .sorted(Comparator.comparingInt(offer -> byPreference.indexOf(provider(offer.transport()))))
                .toList();
    }

    /** Returns true if {@code candidate} is preferred to {@code current}, the transport in use. */
    public boolean isBetter(String candidate, String current) {
        TransportProvider used = provider(current);
        return used != null && isBetter(provider(candidate), used);
    }

    private boolean isBetter(TransportProvider candidate, TransportProvider current) {
        return candidate != null
                && candidate.reach(config).compareTo(current.reach(config)) < 0
                && (!current.encrypts() || candidate.encrypts() || candidate.reach(config) == Reach.MACHINE);
    }

    /**
     * Returns the address at which an offered listener can probably be reached. Does not open a connection, but may
     * block briefly.
     *
     * @param contacted the address at which the peer was reached
     * @throws TransportException if the listener cannot be reached; the message states the reason
     */
    public InetSocketAddress route(TransportOffer offer, InetSocketAddress contacted) {
        TransportProvider provider = provider(offer.transport());
        if (provider == null) {
            throw new TransportException(
                    TransportException.Code.UNAVAILABLE, "transport \"" + offer.transport() + "\" is not installed");
        }
        return provider.route(offer.place(), contacted, config);
    }

    /**
     * Returns the provider of a transport; null if the transport is not installed or is never selected automatically.
     */
    private TransportProvider provider(String name) {
        return byPreference.stream()
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .orElse(null);
    }
}
