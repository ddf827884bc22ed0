// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A dollar or euro token of the sandbox: EIP-20, EIP-712 domain, EIP-3009 authorizations, a blacklist and a pause.
/// It has no constructor and no initial storage, so a genesis block can place its code at any address. Revert texts are
/// those of the issuer's public contracts, because callers read them.
abstract contract SandboxToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);
    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);
    event Pause();
    event Unpause();

    /// The faucet of the sandbox: the only address that mints, freezes and pauses.
    address public constant FAUCET = 0x000000000000000000000000000000000000fA0c;

    uint8 public constant decimals = 6;
    string public constant version = "2";

    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;
    mapping(address => bool) public isBlacklisted;
    bool public paused;

    /// The name, which is also the symbol and the name of the EIP-712 domain.
    function name() public pure virtual returns (string memory);

    modifier onlyFaucet() {
        require(msg.sender == FAUCET, "Ownable: caller is not the owner");
        _;
    }

    function symbol() external pure returns (string memory) {
        return name();
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name())),
                keccak256(bytes(version)),
                block.chainid,
                address(this)
            )
        );
    }

    // EIP-20

    function transfer(address to, uint256 value) external returns (bool) {
        requireAllowed(msg.sender, to);
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        requireAllowed(from, to);
        require(!isBlacklisted[msg.sender], "Blacklistable: account is blacklisted");
        uint256 allowed = allowance[from][msg.sender];
        require(value <= allowed, "ERC20: transfer amount exceeds allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        requireAllowed(msg.sender, spender);
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    // EIP-3009

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        transferWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        requireAllowed(from, to);
        requireValid(from, nonce, validAfter, validBefore);
        bytes32 content = keccak256(
            abi.encode(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce)
        );
        requireSigned(from, content, signature);
        markUsed(from, nonce);
        move(from, to, value);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        requireAllowed(from, to);
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
        requireValid(from, nonce, validAfter, validBefore);
        bytes32 content =
            keccak256(abi.encode(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce));
        requireSigned(from, content, abi.encodePacked(r, s, v));
        markUsed(from, nonce);
        move(from, to, value);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        require(!paused, "Pausable: paused");
        requireUnused(authorizer, nonce);
        bytes32 content = keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce));
        requireSigned(authorizer, content, abi.encodePacked(r, s, v));
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    // The sandbox's own hands

    function mint(address to, uint256 value) public onlyFaucet {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    /// Moves tokens as their owner would, with no signature: deposits of simulated senders.
    function moveAs(address from, address to, uint256 value) external onlyFaucet {
        requireAllowed(from, to);
        move(from, to, value);
    }

    function burn(address from, uint256 value) external onlyFaucet {
        require(value <= balanceOf[from], "ERC20: burn amount exceeds balance");
        balanceOf[from] -= value;
        totalSupply -= value;
        emit Transfer(from, address(0), value);
    }

    function blacklist(address account) external onlyFaucet {
        isBlacklisted[account] = true;
        emit Blacklisted(account);
    }

    function unBlacklist(address account) external onlyFaucet {
        isBlacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    function pause() external onlyFaucet {
        paused = true;
        emit Pause();
    }

    function unpause() external onlyFaucet {
        paused = false;
        emit Unpause();
    }

    function requireAllowed(address from, address to) private view {
        require(!paused, "Pausable: paused");
        require(!isBlacklisted[from] && !isBlacklisted[to], "Blacklistable: account is blacklisted");
    }

    function requireUnused(address authorizer, bytes32 nonce) private view {
        require(!authorizationState[authorizer][nonce], "FiatTokenV2: authorization is used or canceled");
    }

    function requireValid(address authorizer, bytes32 nonce, uint256 validAfter, uint256 validBefore) private view {
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        requireUnused(authorizer, nonce);
    }

    function requireSigned(address signer, bytes32 content, bytes memory signature) private view {
        require(signature.length == 65, "ECRecover: invalid signature length");
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), content));
        (bytes32 r, bytes32 s) = (bytes32(0), bytes32(0));
        uint8 v = uint8(signature[64]);
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
        }
        // The upper half of the curve order would give each signature a second form.
        require(
            uint256(s) <= 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0,
            "ECRecover: invalid signature 's' value"
        );
        require(v == 27 || v == 28, "ECRecover: invalid signature 'v' value");
        require(signer != address(0) && ecrecover(digest, v, r, s) == signer, "FiatTokenV2: invalid signature");
    }

    function markUsed(address authorizer, bytes32 nonce) private {
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationUsed(authorizer, nonce);
    }

    function move(address from, address to, uint256 value) private {
        require(from != address(0), "ERC20: transfer from the zero address");
        require(to != address(0), "ERC20: transfer to the zero address");
        require(value <= balanceOf[from], "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

contract SandboxUSDC is SandboxToken {
    function name() public pure override returns (string memory) {
        return "USDC";
    }
}

contract SandboxEURC is SandboxToken {
    function name() public pure override returns (string memory) {
        return "EURC";
    }
}
