package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.net.InetSocketAddress;
import java.util.List;

/** The libfabric providers that this transport supports, in order of preference. */
final class RdmaProviders {
    /** The providers' names in libfabric. */
    static final List<String> NAMES = List.of("verbs", "tcp", "sockets");

    private static final String VERBS = "verbs";
    private static final String SOCKETS = "sockets";
    private static final int MR_MODE = OfiConstants.FI_MR_LOCAL
            | OfiConstants.FI_MR_VIRT_ADDR
            | OfiConstants.FI_MR_ALLOCATED
            | OfiConstants.FI_MR_PROV_KEY;

    private RdmaProviders() {}

    /** Returns true if a hardware device transfers the data, false if this machine's processor does. */
    static boolean isHardware(String provider) {
        return provider.equals(VERBS);
    }

    /**
     * Returns whether fi_shutdown may be called before an endpoint is closed. After fi_shutdown, the sockets provider
     * closes the same descriptor a second time, when the descriptor may already belong to another connection.
     */
    static boolean mayShutDown(String provider) {
        return !provider.equals(SOCKETS);
    }

    /**
     * Returns hints that describe this transport's requirements for a provider. The caller must free them.
     *
     * @param optional additional capabilities to request
     */
    static OfiInfo hints(Ofi ofi, String provider, long optional) {
        return ofi.allocinfo()
                .setCaps(OfiConstants.FI_MSG | OfiConstants.FI_RMA | optional)
                .setMode(OfiConstants.FI_RX_CQ_DATA)
                .setEpType(OfiConstants.FI_EP_MSG)
                .setMrMode(MR_MODE)
                .setThreading(OfiConstants.FI_THREAD_SAFE)
                .setProvider(provider);
    }

    /**
     * Returns the first description that a provider offers for an address. The description includes atomic operations
     * if the provider supports them. The caller must free the description.
     *
     * <p>The descriptions of some providers refer to a domain that this process opened earlier, even if the domain has
     * since been closed. Passive endpoints would access that domain, so this method removes these references.
     */
    static OfiInfo find(Ofi ofi, String provider, InetSocketAddress address, long flags) {
        try {
            return find(ofi, hints(ofi, provider, OfiConstants.FI_ATOMIC), address, flags);
        } catch (OfiException e) {
            if (e.errno() != OfiConstants.FI_ENODATA) {
                throw e;
            }
            return find(ofi, hints(ofi, provider, 0), address, flags);
        }
    }

    private static OfiInfo find(Ofi ofi, OfiInfo hints, InetSocketAddress address, long flags) {
        try {
            String node = address == null ? null : address.getAddress().getHostAddress();
            String service = address == null ? null : Integer.toString(address.getPort());
            return ofi.getinfo(node, service, address == null ? 0 : flags | OfiConstants.FI_NUMERICHOST, hints)
                    .clearObjects();
        } finally {
            ofi.freeinfo(hints);
        }
    }
}
