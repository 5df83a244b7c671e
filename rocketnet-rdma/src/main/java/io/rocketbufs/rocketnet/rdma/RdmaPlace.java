package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.PlainText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * The place of a listener. A process that receives the place over another transport uses it to determine whether it can
 * reach the listener. The text form is {@code PROVIDER HOST:PORT}, with the numeric address of the device. A wildcard
 * address stands for the address at which the listener's process was reached over the other transport.
 *
 * @param provider name of the listener's libfabric provider
 * @param address the listener's address
 */
record RdmaPlace(String provider, HostPort address) {

    /** Returns the place of a listener. */
    static RdmaPlace of(String provider, InetSocketAddress address) {
        return new RdmaPlace(provider, HostPort.parse(HostPort.numeric(address)));
    }

    /**
     * Parses a place from its text form.
     *
     * @throws io.rocketbufs.rocketnet.TransportException if the text is malformed
     */
    static RdmaPlace parse(String text) {
        int space = text.indexOf(' ');
        try {
            HostPort address = HostPort.parse(text.substring(space + 1));
            // Names are refused, because they would let the peer make this process query the name service.
            boolean isNumeric =
                    address.host().indexOf(':') >= 0 || address.host().matches("[0-9.]+");
            if (space > 0 && isNumeric && address.port() > 0) {
                return new RdmaPlace(PlainText.of(text.substring(0, space)), address);
            }
        } catch (IllegalArgumentException e) {
            // The failure is reported below.
        }
        throw RdmaFailures.noRoute("the peer has described its listener in an unknown form");
    }

    /**
     * Returns the address to which this process can connect through one of its devices. A provider without a hardware
     * device is no better than TCP, so it is considered only if the settings name it.
     *
     * @param contacted the address at which the peer was reached over another transport
     * @throws io.rocketbufs.rocketnet.TransportException if no device provides a route to the listener; the message is
     *     the reason
     */
    InetSocketAddress route(Ofi ofi, RdmaSettings settings, InetSocketAddress contacted) {
        boolean isAny = settings.provider().equals(RdmaSettings.AUTO);
        if (isAny && !RdmaProviders.isHardware(provider)) {
            throw RdmaFailures.noRoute("the peer has no RDMA device, and uses libfabric's provider " + provider
                    + "; to use it too, set rocketbufs.rdma.provider = " + provider);
        }
        if (!isAny && !settings.provider().equals(provider)) {
            throw RdmaFailures.noRoute("the peer uses libfabric's provider " + provider
                    + ", but rocketbufs.rdma.provider = " + settings.provider());
        }
        InetSocketAddress target = target(contacted.getAddress());
        try {
            ofi.freeinfo(RdmaProviders.find(ofi, provider, target, 0));
            return target;
        } catch (OfiException e) {
            throw RdmaFailures.noRoute("no device of provider " + provider + " leads to " + HostPort.numeric(target)
                    + ": " + e.getMessage());
        }
    }

    private InetSocketAddress target(InetAddress contacted) {
        InetAddress host;
        try {
            host = InetAddress.getByName(address.host());
        } catch (UnknownHostException e) {
            throw RdmaFailures.noRoute("the peer's address " + PlainText.of(address.host()) + " is unknown");
        }
        if (host.isAnyLocalAddress() && contacted == null) {
            throw RdmaFailures.noRoute("the peer listens on every address, and none of them is known");
        }
        return new InetSocketAddress(host.isAnyLocalAddress() ? contacted : host, address.port());
    }

    @Override
    public String toString() {
        return provider + " " + address;
    }
}
