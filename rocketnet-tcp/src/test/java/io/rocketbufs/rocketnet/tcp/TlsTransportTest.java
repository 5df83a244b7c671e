package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.contract.TlsFiles.certificate;
import static io.rocketbufs.contract.TlsFiles.clientAuthority;
import static io.rocketbufs.contract.TlsFiles.clientCertificate;
import static io.rocketbufs.contract.TlsFiles.trust;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of failed handshakes, and of the failures reported by peers that do not use this transport. */
@Timeout(600)
@Tag("once")
final class TlsTransportTest {
    private static final String REQUIRED = "rocketbufs.tls.require-client-certificate = on";

    @Test
    void shouldNameTheCertificateThatHasExpired() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("expired"));
                TlsEnds.Client client = ends.connect(trust("ca"))) {
            assertThat(client.handler().awaitFailure())
                    .isEqualTo("REFUSED TLS with " + at(ends) + ": the server's certificate \"CN=server\" or one of its"
                            + " authorities has expired: it is valid until 2020-01-02T00:00:00Z");
            assertThat(ends.accepted(0).awaitFailure())
                    .startsWith("REFUSED TLS with 127.0.0.1:")
                    .endsWith("the peer refused the certificate of this side: it has expired, or is not valid yet");
        }
    }

    @Test
    void shouldNameTheAuthorityThatIsNotTrusted() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"));
                TlsEnds.Client client = ends.connect(trust("other-ca"))) {
            assertThat(client.handler().awaitFailure())
                    .contains("\"CN=server\" was issued by \"CN=Authority, O=RocketBufs tests\", which is not trusted")
                    .endsWith("other-ca.pem");
            assertThat(ends.accepted(0).awaitFailure())
                    .endsWith("the peer does not trust the authority that issued it");
        }
    }

    @Test
    void shouldNotTrustThePrivateAuthorityWithoutConfiguration() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"));
                TlsEnds.Client client = ends.connect()) {
            assertThat(client.handler().awaitFailure())
                    .endsWith("which is not trusted: set rocketbufs.tls.ca to a file with the certificate of its"
                            + " authority");
        }
    }

    @Test
    void shouldNameTheHostsOfACertificateForAnotherHost() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("elsewhere"));
                TlsEnds.Client client = ends.connect(trust("ca"))) {
            assertThat(client.handler().awaitFailure())
                    .endsWith(
                            "the server's certificate is for broker.example, *.brokers.example, 192.0.2.1, but not for"
                                    + " 127.0.0.1; connect to one of its hosts, or set rocketbufs.tls.server-name");
            assertThat(ends.accepted(0).awaitFailure()).contains("the peer refused the certificate of this side");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"broker.example", "a.brokers.example", "192.0.2.1"})
    void shouldAcceptTheConfiguredNameOfTheServer(String name) throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("elsewhere"));
                TlsEnds.Client client = ends.connect(trust("ca"), "rocketbufs.tls.server-name = " + name)) {
            exchange(ends, client);
        }
    }

    @Test
    void shouldCheckTheNameThatIsConnectedTo() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"))) {
            InetSocketAddress named =
                    new InetSocketAddress("localhost", ends.address().getPort());
            try (TlsEnds.Client client = ends.connect(new TlsTransportProvider(), named, trust("ca"))) {
                exchange(ends, client);
            }
        }
    }

    /** Sends a message and receives it. */
    private static void exchange(TlsEnds ends, TlsEnds.Client client) {
        await().until(() ->
                client.handler().connection().send(ByteBuffer.wrap("Hello".getBytes(US_ASCII))) == PostResult.SENT);
        await().untilAsserted(() -> assertThat(ends.accepted(0).events()).isNotEmpty());
    }

    @Test
    void shouldRefuseAClientWithoutTheRequiredCertificate() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"), clientAuthority("ca"), REQUIRED);
                TlsEnds.Client client = ends.connect(trust("ca"))) {
            assertThat(ends.accepted(0).awaitFailure())
                    .endsWith("the client sent no certificate, which rocketbufs.tls.require-client-certificate = on"
                            + " requires");
            assertThat(client.handler().awaitFailure())
                    .isEqualTo("REFUSED TLS with " + at(ends) + ": the peer requires a certificate: set"
                            + " rocketbufs.tls.client-certificate and rocketbufs.tls.client-key");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", REQUIRED})
    void shouldRefuseAClientWithTheCertificateOfAnotherAuthority(String required) throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"), clientAuthority("ca"), required);
                TlsEnds.Client client = ends.connect(trust("ca"), clientCertificate("stranger"))) {
            assertThat(ends.accepted(0).awaitFailure())
                    .contains("the client's certificate \"CN=edge1, O=Example\" was issued by \"CN=Another authority");
            assertThat(client.handler().awaitFailure())
                    .endsWith("the peer does not trust the authority that issued it");
        }
    }

    @Test
    void shouldNotAcceptTheCertificateOfAServerFromAClient() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"), clientAuthority("ca"));
                TlsEnds.Client client = ends.connect(trust("ca"), clientCertificate("server"))) {
            assertThat(ends.accepted(0).awaitFailure()).contains("the client's certificate \"CN=server\" is not");
            assertThat(client.handler().awaitFailure()).contains("the peer refused the certificate of this side");
        }
    }

    @Test
    void shouldReportTheCertificatesOfBothPeers() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"), clientAuthority("ca"), REQUIRED);
                TlsEnds.Client client = ends.connect(trust("ca"), clientCertificate("edge1"))) {
            exchange(ends, client);
            assertThat(subject(ends.accepted(0))).isEqualTo("CN=edge1, O=Example");
            assertThat(subject(client.handler())).isEqualTo("CN=server");
        }
    }

    @Test
    void shouldReportNoCertificateOfAClientThatPresentsNone() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"), clientAuthority("ca"));
                TlsEnds.Client client = ends.connect(trust("ca"))) {
            exchange(ends, client);
            assertThat(ends.accepted(0).connection().peerCertificate()).isNull();
        }
    }

    private static String subject(TcpRecordingHandler handler) {
        return handler.connection().peerCertificate().getSubjectX500Principal().toString();
    }

    @Test
    void shouldNameTheTransportsIfOnlyTheListenerUsesTls() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"));
                TlsEnds.Client client = ends.connect(new TcpTransportProvider(), ends.address())) {
            client.handler().connection().send(ByteBuffer.wrap(new byte[20]));
            assertThat(ends.accepted(0).awaitFailure())
                    .endsWith("the peer does not use TLS, but transport \"tcp\"; both sides need the same transport");
            assertThat(client.handler().awaitFailure()).isEqualTo("PROTOCOL " + at(ends) + " speaks TLS");
        }
    }

    @Test
    void shouldNameTheTransportsIfOnlyTheClientUsesTls() throws Exception {
        try (TlsEnds ends = new TlsEnds(new TcpTransportProvider());
                TlsEnds.Client client = ends.connect(trust("ca"))) {
            assertThat(ends.accepted(0).awaitFailure()).endsWith("speaks TLS");
            assertThat(client.handler().awaitFailure())
                    .isEqualTo("PEER_LOST TLS with " + at(ends) + ": the peer closed the connection during the TLS"
                            + " handshake; it may not use TLS on this port");
        }
    }

    @Test
    void shouldNameTheProtocolOfAStranger() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"));
                Socket stranger = ends.connectRaw()) {
            stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
            assertThat(ends.accepted(0).awaitFailure()).endsWith("speaks HTTP");
        }
    }

    @Test
    void shouldServeOthersWhileAHandshakeIsIncomplete() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"), "rocketbufs.tcp.num-threads = 1");
                Socket slow = ends.connectRaw()) {
            slow.getOutputStream().write(new byte[] {0x16, 3, 1});
            ends.accepted(0);
            try (TlsEnds.Client client = ends.connect(trust("ca"))) {
                await().until(() ->
                        client.handler().connection().send(ByteBuffer.wrap(new byte[1])) == PostResult.SENT);
                await().untilAsserted(
                                () -> assertThat(ends.accepted(1).events()).isNotEmpty());
            }
            assertThat(ends.accepted(0).events()).isEmpty();
        }
    }

    @Test
    void shouldServeOthersWhileAStepOfAHandshakeIsComputed() throws Exception {
        ExecutorService handshakes = Executors.newSingleThreadExecutor();
        CountDownLatch held = new CountDownLatch(1);
        TlsTransportSettings settings = settings("server");
        Transport server = TcpTransport.open(
                "tls",
                TcpSettings.from(TcpEnds.config("auto", "num-threads = 1")),
                io -> new TlsIo(io, settings, TlsEnds.expiry(settings), handshakes));
        try (TlsEnds ends = new TlsEnds(server);
                TlsEnds.Client first = ends.connect(trust("ca"))) {
            exchange(ends, first);
            handshakes.execute(() -> awaitQuietly(held));
            try (TlsEnds.Client second = ends.connect(trust("ca"))) {
                ends.accepted(1);
                int count = ends.accepted(0).events().size();
                first.handler().connection().send(ByteBuffer.wrap(new byte[1]));
                await().untilAsserted(
                                () -> assertThat(ends.accepted(0).events()).hasSizeGreaterThan(count));
                assertThat(ends.accepted(1).events()).isEmpty();
                held.countDown();
                await().until(() ->
                        second.handler().connection().send(ByteBuffer.wrap(new byte[1])) == PostResult.SENT);
                await().untilAsserted(
                                () -> assertThat(ends.accepted(1).events()).isNotEmpty());
            }
        } finally {
            held.countDown();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldReportAPeerThatLeavesDuringTheHandshake() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"))) {
            try (Socket leaving = ends.connectRaw()) {
                leaving.getOutputStream().write(new byte[] {0x16, 3, 1});
                ends.accepted(0);
            }
            assertThat(ends.accepted(0).awaitFailure()).startsWith("PEER_LOST TLS with 127.0.0.1:");
        }
    }

    @Test
    void shouldReportTruncationIfTheStreamEndsWithoutItsEnd() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"));
                Socket socket = ends.connectRaw()) {
            SSLSocket tls = secured(socket, "TLSv1.3");
            tls.getOutputStream().write(control("Hello"));
            await().untilAsserted(() -> assertThat(ends.accepted(0).events()).isNotEmpty());
            socket.shutdownOutput();
            assertThat(ends.accepted(0).awaitFailure())
                    .endsWith("the peer closed the connection without the end of the TLS stream; data may be missing");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportTruncationWithinARecord(boolean hasDataBefore) throws Exception {
        byte[] partOfARecord = {23, 3, 3, 1, 0, 1, 2, 3};
        for (int i = 0; i < 20; i++) {
            try (TlsEnds ends = new TlsEnds(certificate("server"));
                    Socket socket = ends.connectRaw()) {
                SSLSocket tls = secured(socket, "TLSv1.3");
                if (hasDataBefore) {
                    tls.getOutputStream().write(control("Hello"));
                }
                socket.getOutputStream().write(partOfARecord);
                socket.shutdownOutput();
                assertThat(ends.accepted(0).awaitFailure())
                        .endsWith("the peer closed the connection without the end of the TLS stream; data may be"
                                + " missing");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void shouldSpeakWithAnotherImplementation(String version) throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"));
                Socket socket = ends.connectRaw()) {
            SSLSocket tls = secured(socket, version);
            assertThat(tls.getSession().getProtocol()).isEqualTo(version);
            assertThat(tls.getApplicationProtocol()).isEqualTo("rocketbufs/1");
            assertThat(((X509Certificate) tls.getSession().getPeerCertificates()[0]).getSubjectX500Principal())
                    .hasToString("CN=server");
            OutputStream out = tls.getOutputStream();
            out.write(control("Hello"));
            await().untilAsserted(() -> assertThat(ends.accepted(0).events()).isNotEmpty());
            ends.accepted(0)
                    .connection()
                    .worker()
                    .execute(() -> ends.accepted(0).connection().finish());
            InputStream in = tls.getInputStream();
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    /** A socket that sends each byte in a separate segment. */
    private static final class BytewiseSocket extends Socket {
        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()); // which writes an array byte by byte
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void shouldCompleteAHandshakeThatArrivesByteByByte(String version) throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"))) {
            for (int i = 0; i < 50; i++) {
                try (Socket socket = new BytewiseSocket()) {
                    socket.connect(ends.address());
                    socket.setTcpNoDelay(true);
                    secured(socket, version).getOutputStream().write(control("Hello"));
                    TcpRecordingHandler accepted = ends.accepted(i);
                    await().untilAsserted(() -> assertThat(accepted.events()).isNotEmpty());
                }
            }
        }
    }

    private static byte[] control(String text) {
        return ByteBuffer.allocate(TcpFrameLayout.HEADER_LENGTH + text.length())
                .putLong(TcpFrameLayout.control(text.length()))
                .put(text.getBytes(US_ASCII))
                .array();
    }

    private static SSLSocket secured(Socket socket, String version) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(TlsFiles.file("ca.pem"))) {
            Certificate authority = CertificateFactory.getInstance("X.509").generateCertificate(in);
            store.setCertificateEntry("ca", authority);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(socket, "127.0.0.1", 1, false);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setProtocols(new String[] {version});
        parameters.setApplicationProtocols(new String[] {"rocketbufs/1"});
        tls.setSSLParameters(parameters);
        tls.startHandshake();
        return tls;
    }

    @Test
    void shouldShowItsChainToOpenSslButRefuseOldVersions() throws Exception {
        try (TlsEnds ends = new TlsEnds(certificate("server"))) {
            String current = openSsl(ends, "-alpn", "rocketbufs/1", "-verify_return_error", "-brief");
            assertThat(current).contains("Protocol version: TLSv1.3", "Peer certificate: CN = server");
            String old = openSsl(ends, "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0");
            assertThat(old).contains("alert protocol version");
            assertThat(ends.accepted(1).awaitFailure()).endsWith("the peer supports neither TLS 1.3 nor TLS 1.2");
        }
    }

    private static String openSsl(TlsEnds ends, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "openssl",
                "s_client",
                "-connect",
                at(ends),
                "-CAfile",
                TlsFiles.file("ca.pem").toString()));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), US_ASCII);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    private static TlsTransportSettings settings(String name) {
        return TlsTransportSettings.from(TlsFiles.with(TcpEnds.config("auto"), certificate(name)));
    }

    @Test
    void shouldNotListenWithoutACertificate() {
        assertThatThrownBy(() -> new TlsEnds())
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.UNAVAILABLE))
                .hasMessage("cannot listen with transport \"tls\" without a certificate: set rocketbufs.tls.certificate"
                        + " and rocketbufs.tls.key");
    }

    private static String at(TlsEnds ends) {
        return "127.0.0.1:" + ends.address().getPort();
    }
}
